/** What the fuzzer's two threads send to each other. */
export interface WorkerData {
  /** One number: the index of the input that is being judged, −1 before the first. */
  readonly progress: SharedArrayBuffer
  /** Addresses of the modules with the targets. */
  readonly modules: ReadonlyArray<string>
  readonly vectors: string | undefined
  readonly corpus: string | undefined
  /** A directory that is gone after the run. */
  readonly scratch: string
}

export type Order =
  | { readonly type: "prepare"; readonly target: string }
  | {
    readonly type: "run"
    readonly target: string
    readonly seed: number
    readonly from: number
    readonly until: number
  }
  | { readonly type: "generate"; readonly target: string; readonly seed: number; readonly index: number }
  | {
    readonly type: "minimise"
    readonly target: string
    readonly input: string
    readonly finding: string
    readonly until: number
  }

export type Answer =
  | { readonly type: "prepared" }
  | { readonly type: "ready"; readonly providers: ReadonlyArray<string>; readonly seeds: string }
  | { readonly type: "finding"; readonly index: number; readonly finding: string; readonly input: string }
  | { readonly type: "done"; readonly next: number; readonly notes: ReadonlyArray<string> }
  | { readonly type: "input"; readonly input: string }
