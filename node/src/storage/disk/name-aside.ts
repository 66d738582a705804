/** Returns an unused name under which a damaged file is moved aside in its directory, so that no copy is lost. */
export const nameAside = (name: string, present: ReadonlyArray<string>): string => {
  const taken = new Set(present)
  const first = `${name}.damaged`
  let aside = first
  for (let number = 2; taken.has(aside); number++) aside = `${first}-${number}`
  return aside
}
