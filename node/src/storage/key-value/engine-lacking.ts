/** The native library of an engine cannot be loaded in this installation. */
export class EngineLacking extends Error {
  override readonly name = "EngineLacking"
}

/** Loads the library of an engine. Fails with {@link EngineLacking} if this installation lacks it. */
export const loadLibrary = async <A>(name: string, load: () => Promise<A>): Promise<A> => {
  try {
    return await load()
  } catch (cause) {
    throw new EngineLacking(`the library "${name}" cannot be loaded on this machine`, { cause })
  }
}
