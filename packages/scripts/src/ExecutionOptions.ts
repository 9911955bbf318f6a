/** How scripts are run. */
import type * as Duration from "effect/Duration"

/**
 * What calls of one script share.
 *
 * - `worker` (the default): each call finds the script as it was when it had
 *   just been loaded. Python and Bash run in children forked ahead of time,
 *   TypeScript and JavaScript in a module instance of their own.
 * - `process`: each call starts a new interpreter. Slowest, and the most alike
 *   running the script by hand.
 * - `shared`: one interpreter, whose globals and environment stay from call to
 *   call, for scripts that keep a connection or a cache. Bash has no such thing
 *   and takes it for `worker`.
 *
 * @category models
 */
export type Isolation = "worker" | "process" | "shared"

/**
 * The bounds of one call. What exceeds them is killed with all it started.
 *
 * @category models
 */
export interface Limits {
  /** How long a call may take, from when its script is loaded. Unless stated: 2 minutes. */
  readonly time?: Duration.DurationInput | undefined
  /** How long a script may take to be loaded. Unless stated: 30 seconds. */
  readonly loading?: Duration.DurationInput | undefined
  /** Bytes of a result, and of what is written to each of standard output and standard error. Unless stated: 16 MiB. */
  readonly output?: number | undefined
  /** Processes at once, the script's own included. Unless stated: 64. */
  readonly processes?: number | undefined
  /** Bytes of resident memory of all processes of a call together. Unless stated: no bound. */
  readonly memory?: number | undefined
}

/**
 * The pool of warm interpreters.
 *
 * @category models
 */
export interface Workers {
  /** Whether each script has interpreters of its own, or all of one language share some. Unless stated: `script`. */
  readonly per?: "script" | "language" | undefined
  /** Interpreters at most, per script or language: so many calls run at once, further ones wait. Unless stated: 4. */
  readonly size?: number | undefined
  /** Calls after which an interpreter is replaced. Unless stated: 1,000. */
  readonly calls?: number | undefined
  /** Bytes of resident memory over which an interpreter is replaced when its call is over. Unless stated: 512 MiB. */
  readonly memory?: number | undefined
  /** How long an interpreter may wait for a call before it is ended. Unless stated: 5 minutes. */
  readonly idle?: Duration.DurationInput | undefined
}

/**
 * Where scripts get their environment from. A script sees `PATH`, `HOME`,
 * `LANG`, `LC_ALL`, `TZ`, `TMPDIR`, `USER`, `SHELL` and `TERM` of the program,
 * what `pass` names, the `.env` of its folder, `set`, and the `LLM_` variables:
 * nothing else.
 *
 * @category models
 */
export interface Environment {
  /** Names of variables of the program that scripts may see; `AWS_*` for all that begin so. */
  readonly pass?: ReadonlyArray<string> | undefined
  readonly set?: { readonly [name: string]: string } | undefined
  /**
   * Whether the `.env` of the folder is read; of variables that scripts may see, the
   * program's own value wins over it. A file over 1 MiB, or anything but a file, is not
   * read. It is trusted as the scripts are: it may set what changes how interpreters
   * start (`NODE_OPTIONS`, `PYTHONPATH`, `BASH_ENV`). Unless stated: true.
   */
  readonly isEnvFileRead?: boolean | undefined
  /**
   * Names of variables whose values never leave a script: they are replaced in
   * results, failures and progress, in every spelling of `Secret.spellingsOf`.
   * Values of less than 6 characters are not. Unless stated: the variables whose
   * names `Secret.isName` knows.
   */
  readonly secrets?: ReadonlyArray<string> | undefined
}

/**
 * How scripts are run.
 *
 * @category models
 */
export interface ExecutionOptions {
  readonly isolation?: Isolation | undefined
  readonly limits?: Limits | undefined
  readonly workers?: Workers | undefined
  readonly environment?: Environment | undefined
  /** `LLM_ROOT_DIR`. Unless stated: the folder above that of the scripts, or above `agents` for `agents/name`. */
  readonly root?: string | undefined
  /** The folder of tools' caches, each under its name. Unless stated: `cache` in the root. */
  readonly cache?: string | undefined
  /** Where scripts are started. Unless stated: the program's working directory. */
  readonly workingDirectory?: string | undefined
  /** Interpreters where scripts name none: a name on the path or an absolute path. Unless stated: `python3`, `bash`, this Node. */
  readonly interpreters?:
    | { readonly python?: string | undefined; readonly bash?: string | undefined; readonly node?: string | undefined }
    | undefined
}
