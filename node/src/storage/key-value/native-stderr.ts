import { type Koffi, loadKoffi } from "@lockstep/crypto/native-memory.ts"

/** `_IOLBF`: line buffering. */
const BY_LINE = 1
const BUFFER_BYTES = 4096

interface NativeStderr {
  /** Ends an unfinished line, if any. */
  readonly endLine: () => void
}

const SILENT: NativeStderr = { endLine: () => {} }

const byLine = ({ alloc, decode, load }: Koffi): NativeStderr => {
  const library = load(null)
  const stream: unknown = decode(library.symbol("stderr", "void *"), "void *")
  const pending = library.func("size_t __fpending(void *stream)") as (stream: unknown) => number
  const write = library.func("int fputs(const char *text, void *stream)") as (text: string, stream: unknown) => number
  const setBuffer = library.func("int setvbuf(void *stream, void *buffer, int mode, size_t size)") as (
    stream: unknown,
    buffer: unknown,
    mode: number,
    size: number
  ) => number
  if (setBuffer(stream, alloc("uint8_t", BUFFER_BYTES), BY_LINE, BUFFER_BYTES) !== 0) return SILENT
  return {
    endLine: () => {
      if (pending(stream) > 0) write("\n", stream)
    }
  }
}

let opened: NativeStderr | undefined

/**
 * Standard error of native code. LMDB writes to it, sometimes without a line break; the next line of the log, which is
 * JSON, would begin after such text. Without the native calls nothing is changed.
 */
export const nativeStderr = (): NativeStderr => {
  if (opened !== undefined) return opened
  const koffi = loadKoffi()
  try {
    opened = koffi.ok ? byLine(koffi.value) : SILENT
  } catch {
    opened = SILENT
  }
  return opened
}
