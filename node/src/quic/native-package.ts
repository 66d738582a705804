/** The binding of a native package, or the packages that this machine lacks. */
export type LoadedPackage<B> =
  | { readonly _tag: "Loaded"; readonly binding: B }
  | { readonly _tag: "Missing"; readonly packages: ReadonlyArray<string>; readonly reason: string }

/** Loads a package by its name, as `require` does. */
export type LoadPackage = (name: string) => unknown

const required = <B>(load: LoadPackage, name: string): B | Error => {
  try {
    return load(name) as B
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}

/** Loads the first of these packages that is installed for this machine. */
export const loadNativePackage = <B>(
  load: LoadPackage,
  names: ReadonlyArray<string>,
  version: string
): LoadedPackage<B> => {
  const faults: Array<string> = []
  for (const name of names) {
    const binding = required<B>(load, name)
    if (!(binding instanceof Error)) return { _tag: "Loaded", binding }
    faults.push(binding.message.split("\n")[0]!)
  }
  return { _tag: "Missing", packages: names.map((name) => `${name}@${version}`), reason: faults.join("; ") }
}
