/** Where vectors come from: this repository, the npm package of a dev dependency, or a directory named by an option. */
export type SourceKind = "ours" | "npm" | "root"

export const SOURCE_KINDS: ReadonlyArray<SourceKind> = ["ours", "npm", "root"]

/** A directory with vector files. `label` is what people see in place of `directory`. */
export interface Source {
  readonly kind: SourceKind
  readonly label: string
  readonly directory: string
}

/** A file of a source: `path` inside it with `/` between, `display` for people and for `--case`. */
export interface VectorFile {
  readonly source: Source
  readonly path: string
  readonly absolute: string
  readonly display: string
}

/** The file at `path` of `source`, whether or not it exists. */
export const fileAt = (source: Source, path: string): VectorFile => ({
  source,
  path,
  absolute: `${source.directory}/${path}`,
  display: `${source.label}/${path}`
})
