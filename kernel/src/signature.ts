/** Encodings of signatures and keys. */
export { signatureIsStrictDer } from "./signature/der.ts"
