/** A decoder must not throw; that it did is a finding, not the suite's end. */

export class Thrown {
  constructor(readonly reason: string) {}
}

export const attempt = <A>(run: () => A): A | Thrown => {
  try {
    return run()
  } catch (error) {
    return new Thrown(error instanceof Error ? (error.stack ?? error.message).split("\n").slice(0, 4).join("\n") : "?")
  }
}
