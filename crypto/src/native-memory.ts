import type * as koffi from "koffi"
import { createRequire } from "node:module"
import { type Attempt, attempt } from "./attempt.ts"

export type Koffi = typeof koffi

/**
 * Koffi through `require`, because an import of a package without a binary for this machine would end the program.
 */
export const loadKoffi = (): Attempt<Koffi> => attempt(() => createRequire(import.meta.url)("koffi") as Koffi)

/**
 * Memory at a fixed address, seen from both sides. Copying 64 bytes into it costs about 10 ns. A small array of
 * JavaScript costs native code about 300 ns, since V8 must first move it out of its heap.
 */
export interface NativeMemory {
  /** A number, not a bigint: arithmetic on it allocates nothing, and user-space addresses are below 2^53. */
  readonly address: number
  readonly bytes: Uint8Array
}

/** Allocates `size` bytes that live as long as the process. */
export const nativeMemory = ({ alloc, view }: Koffi, size: number): NativeMemory => {
  const pointer = alloc("uint8_t", size) as bigint
  return { address: Number(pointer), bytes: new Uint8Array(view(pointer, size)) }
}
