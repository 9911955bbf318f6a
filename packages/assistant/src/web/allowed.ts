/** A service may be where the program says that it is, on its own machine too; only there. */
import type { HttpGuard } from "@wield/http"

export const namedBy = (url: string | undefined): HttpGuard.Policy => {
  if (url === undefined || !URL.canParse(url)) return {}
  const { hostname, port, protocol } = new URL(url)
  // Without a port, all ports would be allowed.
  return { allowedHosts: [`${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`] }
}
