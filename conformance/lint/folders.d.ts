/** The layers of one package: see folders.js. */
export interface Layers {
  readonly shared: ReadonlyArray<string>
  readonly folders: Readonly<Record<string, ReadonlyArray<string>>>
}
export declare const PACKAGES: Layers
export declare const FOLDERS: Readonly<Record<string, Layers>>

/** The folders that judge blocks, and the modules of relay policy that they must not import. */
export const POLICY_APART: {
  readonly modules: ReadonlyArray<string>
  readonly wholeFaces: ReadonlyArray<string>
  readonly folders: ReadonlyArray<string>
}
