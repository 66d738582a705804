/** The layers of one package: see folders.js. */
export interface Layers {
  readonly shared: ReadonlyArray<string>
  readonly folders: Readonly<Record<string, ReadonlyArray<string>>>
}
export declare const FOLDERS: Readonly<Record<string, Layers>>
