const patterns = new Map<string, RegExp>()

const compile = (glob: string): RegExp => {
  const source = glob.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("**", "\0").replaceAll("*", "[^/]*").replaceAll(
    "\0",
    ".*"
  )
  return new RegExp(`^${source}$`)
}

/** Whether `path` matches `glob`, where `*` is any text without `/` and `**` any text. */
export const matches = (glob: string, path: string): boolean => {
  const known = patterns.get(glob)
  if (known !== undefined) return known.test(path)
  const compiled = compile(glob)
  patterns.set(glob, compiled)
  return compiled.test(path)
}
