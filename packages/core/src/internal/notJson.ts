/** A value or text that is not JSON, and why. */
export class NotJson {
  constructor(readonly reason: string) {}
}
