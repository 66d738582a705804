/**
 * Transactions' bytes outside the V8 heap: records written one after the other into chunks, each with its owner and
 * length. A dead record stays until its chunk is empty, or until compaction moves the live records.
 */
export interface ByteArena {
  /** Chunks by number; a free number is `undefined`. */
  readonly chunks: Array<Chunk | undefined>
  /** Bytes of live records with their heads, and of all chunks. */
  live: number
  allocated: number
  /** The chunk that is being written. */
  open: number
}

interface Chunk {
  readonly bytes: Uint8Array
  readonly view: DataView
  /** Written bytes, and how many of them are live. */
  top: number
  live: number
}

/** Position of a record. */
export interface ArenaPlace {
  readonly chunk: number
  readonly offset: number
}

const CHUNK_BYTES = 1 << 20
/** Owner and length. */
const HEAD_BYTES = 8
const DEAD = 0xffffffff
const NONE = -1

export const byteArena = (): ByteArena => ({ chunks: [], live: 0, allocated: 0, open: NONE })

/** Opens a new chunk. A record that is larger than a chunk gets one of its own. */
const openChunk = (arena: ByteArena, size: number): void => {
  const length = Math.max(size, CHUNK_BYTES)
  const bytes = new Uint8Array(new ArrayBuffer(length))
  const free = arena.chunks.indexOf(undefined)
  arena.open = free < 0 ? arena.chunks.length : free
  arena.chunks[arena.open] = { bytes, view: new DataView(bytes.buffer), top: 0, live: 0 }
  arena.allocated += length
}

/** Closes a chunk. The caller opens another one if it was the open one. */
const close = (arena: ByteArena, number: number): void => {
  arena.allocated -= arena.chunks[number]!.bytes.length
  arena.chunks[number] = undefined
}

/** Copies bytes into the arena. Compaction reports the new position of the record with `owner`. */
export const storeBytes = (arena: ByteArena, owner: number, bytes: Uint8Array): ArenaPlace => {
  const size = HEAD_BYTES + bytes.length
  const current = arena.chunks[arena.open]
  if (current === undefined || current.top + size > current.bytes.length) {
    if (current?.live === 0) close(arena, arena.open)
    openChunk(arena, size)
  }
  const chunk = arena.chunks[arena.open]!
  const offset = chunk.top
  chunk.view.setUint32(offset, owner)
  chunk.view.setUint32(offset + 4, bytes.length)
  chunk.bytes.set(bytes, offset + HEAD_BYTES)
  chunk.top += size
  chunk.live += size
  arena.live += size
  return { chunk: arena.open, offset }
}

/** Returns a view of a record, which is valid until the arena changes. */
export const storedBytes = (arena: ByteArena, { chunk, offset }: ArenaPlace): Uint8Array => {
  const { bytes, view } = arena.chunks[chunk]!
  const start = offset + HEAD_BYTES
  return bytes.subarray(start, start + view.getUint32(offset + 4))
}

/** Frees a record. */
export const freeBytes = (arena: ByteArena, { chunk: number, offset }: ArenaPlace): void => {
  const chunk = arena.chunks[number]!
  const size = HEAD_BYTES + chunk.view.getUint32(offset + 4)
  chunk.view.setUint32(offset, DEAD)
  chunk.live -= size
  arena.live -= size
  if (chunk.live > 0) return
  if (arena.open === number) chunk.top = 0
  else close(arena, number)
}

/** Moves the live records of a chunk. Precondition: it is not the open one. */
const move = (arena: ByteArena, number: number, moved: (owner: number, to: ArenaPlace) => void): void => {
  const { bytes, top, view } = arena.chunks[number]!
  for (let offset = 0; offset < top;) {
    const owner = view.getUint32(offset)
    const end = offset + HEAD_BYTES + view.getUint32(offset + 4)
    if (owner !== DEAD) {
      const to = storeBytes(arena, owner, bytes.subarray(offset + HEAD_BYTES, end))
      arena.live -= end - offset
      moved(owner, to)
    }
    offset = end
  }
  close(arena, number)
}

/** Empties the chunks of which less than half is live, once all together are more than half empty. */
export const compactBytes = (arena: ByteArena, moved: (owner: number, to: ArenaPlace) => void): void => {
  if (arena.allocated <= 2 * arena.live + CHUNK_BYTES) return
  const sparse = [...arena.chunks.keys()].filter((number) => {
    const chunk = arena.chunks[number]
    return chunk !== undefined && chunk.live * 2 < chunk.bytes.length
  })
  arena.open = NONE
  for (const number of sparse) move(arena, number, moved)
}
