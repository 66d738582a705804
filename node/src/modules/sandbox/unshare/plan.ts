/** A directory or file of this machine, mounted at a path in the sandbox. */
export interface Bind {
  readonly from: string
  readonly to: string
  readonly isWritable?: true
  /** Skips the mount if the machine lacks the source. */
  readonly mayBeMissing?: true
}

/** Steps of the launcher in the namespaces that `unshare` created. */
export interface SandboxPlan {
  readonly hostname: string
  readonly binds: ReadonlyArray<Bind>
  /** Working directory in the sandbox. */
  readonly directory: string
  /** Filter of system calls, in base64. */
  readonly filter: string
  /** Numbers of system calls for which the C library has no function. */
  readonly calls: { readonly capset: number; readonly mountSetattr: number }
  /** Path of the program in the sandbox, and its arguments. */
  readonly command: ReadonlyArray<string>
}
