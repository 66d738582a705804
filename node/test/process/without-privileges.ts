/**
 * Words before a command, under which the rights of files count although the tests run as root: the process stays root,
 * and owns what the tests make, without the capabilities that pass over rights. Anybody else has none of these anyway.
 */
export const WITHOUT_PRIVILEGES: ReadonlyArray<string> = process.getuid?.() === 0
  ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]
  : []

/** A command and its words, run without those capabilities. */
export const withoutPrivileges = (
  program: string,
  words: ReadonlyArray<string>
): readonly [program: string, words: ReadonlyArray<string>] => {
  const [first, ...rest] = [...WITHOUT_PRIVILEGES, program, ...words]
  return [first!, rest]
}
