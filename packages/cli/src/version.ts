/** The version of this package, which its package.json has, too. */
export const version = "0.1.0"
