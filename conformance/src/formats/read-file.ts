import { createReadStream, readFileSync } from "node:fs"
import { createGunzip, gunzipSync } from "node:zlib"
import type { VectorFile } from "../sources/source.ts"
import { Field } from "./field.ts"
import { jsonFault } from "./json-fault.ts"
import { MalformedVector } from "./malformed.ts"

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** The content of a vector file, unpacked when its name ends in `.gz`. The answer owns its buffer. */
export const readBytes = (file: VectorFile): Uint8Array => {
  try {
    const content = readFileSync(file.absolute)
    return new Uint8Array(file.path.endsWith(".gz") ? gunzipSync(content) : content)
  } catch (error) {
    throw new MalformedVector(file.display, "", `cannot be read: ${reasonOf(error)}`)
  }
}

/** The content of a vector file as text. */
export const readText = (file: VectorFile): string => new TextDecoder().decode(readBytes(file))

/**
 * `text` as JSON, or where it stops being JSON. `place` says where in the file the text stands, when it is a part of
 * it.
 */
export const parseJson = (text: string, file: VectorFile, place: string): Field => {
  try {
    return new Field(JSON.parse(text), file.display, place)
  } catch {
    const fault = jsonFault(text)
    throw new MalformedVector(
      file.display,
      place === "" ? fault : `${place}, ${fault.replace("line 1 ", "")}`,
      "is not JSON here"
    )
  }
}

/** A vector file as one JSON value. */
export const readJson = (file: VectorFile): Field => parseJson(readText(file), file, "")

/** The lines of a vector file, unpacked as they are read, with nothing but the current piece held. */
export async function* linesOf(file: VectorFile): AsyncGenerator<string> {
  const content = createReadStream(file.absolute)
  const stream = file.path.endsWith(".gz") ? content.pipe(createGunzip()) : content
  content.on("error", (error) => stream.destroy(error))
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n")
      rest = lines.pop()!
      yield* lines
    }
  } catch (error) {
    throw new MalformedVector(file.display, "", `cannot be read: ${reasonOf(error)}`)
  }
  if (rest !== "") yield rest
}
