/** What is no JSON, in either direction, and why. */
export class NotJson {
  constructor(readonly reason: string) {}
}
