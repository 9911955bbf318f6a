/**
 * A key as those compare it who take upper and lower case for the same: the
 * long ſ is an s then, the sign K of the unit Kelvin a k, the ı without a dot an i.
 */
export const fold = (key: string): string => {
  const lower = key.toLowerCase()
  return isAscii.test(lower) ? lower : lower.normalize("NFKC").toUpperCase().toLowerCase()
}

const isAscii = /^[ -~]*$/
