/** Secrets that are known by their form, wherever they stand. Each pattern is the secret, or has a group of that name. */

/** What may go over the pieces of a log entry. A block without an end goes to the end. */
export const privateKey =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----|[\s\S]*)/dg

export const forms: ReadonlyArray<RegExp> = [
  /\bbearer\s{1,4}(?<secret>[^\s"'`,;]+)/dgi,
  /\b[Bb](?:asic|ASIC)\s{1,4}(?<secret>(?=[a-z+/_-]{0,64}[A-Z0-9=])[A-Za-z0-9+/=_-]{8,})/dg,
  // OpenAI, Anthropic, Stripe and those who do as they do; then GitHub, GitLab, Slack, npm, Hugging Face, Google, …
  /(?<![A-Za-z0-9])(?:sk|pk|rk|gsk|whsec)[-_][A-Za-z0-9_-]{6,}/dg,
  /(?<![A-Za-z0-9])(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|xapp-|npm_|hf_|pypi-|dop_v1_|ya29\.|shp[a-z]{2}_)[A-Za-z0-9._-]{8,}/dg,
  // Those of models, search and mail: xAI, Perplexity, Tavily, Replicate, NVIDIA, Google, LangSmith, Pinecone, Linear.
  /(?<![A-Za-z0-9])(?:xai-|pplx-|tvly-|r8_|nvapi-|GOCSPX-|lsv2_[a-z]{2}_|pcsk_|lin_api_|SG\.(?=[A-Za-z0-9_-]{8}))[A-Za-z0-9._-]{8,}/dg,
  // Addresses that let in whoever knows them: webhooks of Slack and Discord, bots of Telegram.
  /\b(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\/(?<secret>[^\s"'`<>]+)/dgi,
  /\bapi\.telegram\.org\/(?:file\/)?bot(?<secret>[^\s"'`<>/]+)/dgi,
  // What curl is given, in quotes or without: `-u user:password`, `--proxy-user "user:password"`.
  /(?<![\w-])(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}\\{0,31}(["'])[^:"'\r\n]{1,64}:(?<secret>[^\r\n]{1,200}?)\\{0,31}\1/dg,
  /(?<![\w-])(?:-[uU]|--(?:proxy-)?user)[\s=]{0,4}\\{0,31}["']?[^\s:"'\\]{1,64}:(?<secret>\S+)/dg,
  // `user:password@host` without a scheme. Addresses of mail, of packages and of what a server serves have no password.
  /(?<![\w.+%/-])(?!(?:acct|bcc|cc|e-?mail|from|jsr|mailto|npm|sha\d+|sips?|to|xmpp):)[\w.+%-]{1,64}:(?!\/\/|\d{1,5}\/)(?<secret>[^\s"'`<>]{1,200})(?<!\/)@(?!sha\d+:)(?=[a-z]|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])/dgi,
  // How Go connects to MySQL.
  /(?<![^\s"'`=])[\w.-]{1,64}:(?<secret>[^\s@]{1,200})@(?:tcp|unix)\(/dg,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}/dg,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{20,}/dg,
  // A JSON Web Token.
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){1,4}/dg,
  // A line of a key, if it is logged by itself: base64 in capital and small letters and digits. No hash in hexadecimal is.
  /(?<![A-Za-z0-9+/=])(?=[A-Za-z0-9+/]{0,59}[a-z])(?=[A-Za-z0-9+/]{0,59}[A-Z])(?=[A-Za-z0-9+/]{0,59}[0-9])[A-Za-z0-9+/]{60,}={0,2}/dg
]
