/** The part that is used of a package without types of its own. */
declare module "siphash" {
  const siphash: {
    /** SipHash-2-4. `key` is four words, the lowest first; the halves of the answer are unsigned. */
    readonly hash: (key: Uint32Array, message: Uint8Array) => { readonly h: number; readonly l: number }
  }
  export default siphash
}
