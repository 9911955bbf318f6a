/** How the tools call themselves to servers. */
export const defaultUserAgent = "Wield/0.1 (+https://github.com/wield-tools/wield)"
