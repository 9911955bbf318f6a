/** Which hosts are allowed by name. */

export type IsAllowed = (host: string, port: number) => boolean

/** Names and addresses are compared as URLs write them: lower case, IPv6 in its short form. */
export const allowed = (hosts: ReadonlyArray<string>): IsAllowed => {
  const names = new Set(hosts.map(canonical))
  return (host, port) => {
    const name = canonical(host)
    return names.has(name) || names.has(`${name}:${port}`)
  }
}

const canonical = (host: string): string => {
  const bracketed = /^[^[].*:.*:/.test(host) ? `[${host}]` : host
  // A port that is the scheme's own would vanish, so it is set aside.
  const [, name = bracketed, port = ""] = /^(.*?)(:\d+)?$/.exec(bracketed) ?? []
  const url = `http://${name}/`
  return (URL.canParse(url) ? new URL(url).hostname : name.toLowerCase()) + port
}
