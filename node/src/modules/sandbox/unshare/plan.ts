/** What stands in a sandbox: a directory or file of this machine, at its place inside. */
export interface Bind {
  readonly from: string
  readonly to: string
  readonly isWritable?: true
  /** Left out where the machine does not have it. */
  readonly mayBeMissing?: true
}

/** What the launcher makes of itself, in the namespaces that `unshare` gave it. */
export interface SandboxPlan {
  readonly hostname: string
  readonly binds: ReadonlyArray<Bind>
  /** The working directory, inside. */
  readonly directory: string
  /** The filter of system calls, in base64. */
  readonly filter: string
  /** Numbers of system calls that the C library has no function for. */
  readonly calls: { readonly capset: number; readonly mountSetattr: number }
  /** A program by its path inside, and its arguments. */
  readonly command: ReadonlyArray<string>
}
