import { csvRows } from "../formats/csv.ts"
import { Field } from "../formats/field.ts"
import { moduleValue } from "../formats/module-value.ts"
import { readText } from "../formats/read-file.ts"
import { same } from "../judge/outcome.ts"
import type { VectorFile } from "../sources/source.ts"
import type { Case, Runner } from "./runner.ts"

interface Row {
  readonly index: string
  readonly comment: string
  readonly key: Field
  readonly message: Field
  readonly signature: Field
  readonly holds: boolean
}

const caseOf = ({ index, comment, key, message, signature, holds }: Row): Case => ({
  index,
  name: comment || (holds ? "a signature that holds" : "a signature that does not hold"),
  judge: ({ crypto }) => same("signature holds", holds, crypto.schnorrVerify(signature.bytes, key.bytes, message.bytes))
})

const csvCases = (file: VectorFile): Iterable<Case> =>
  csvRows(readText(file)).map((fields, row) => {
    const [index, , key, , message, signature, result, comment] = fields.map((text) =>
      new Field(text, file.display, `row ${row}`)
    )
    if (result === undefined) throw new Field(fields, file.display, `row ${row}`).fail("expected eight columns")
    return caseOf({
      index: index!.text,
      comment: comment?.text ?? "",
      key: key!,
      message: message!,
      signature: signature!,
      holds: result.text === "TRUE"
    })
  })

const moduleCases = async (file: VectorFile): Promise<Iterable<Case>> =>
  new Field(await moduleValue(file), file.display, "").items.map((row) =>
    caseOf({
      index: String(row.get("index").integer),
      comment: row.find("comment")?.text ?? "",
      key: row.get("public_key"),
      message: row.get("message"),
      signature: row.get("signature"),
      holds: row.get("verification_result").boolean
    })
  )

/** The vectors of BIP340, as the table it publishes or as a module that exports its rows. */
export const bip340: Runner = async function*(file) {
  yield* file.path.endsWith(".csv") ? csvCases(file) : await moduleCases(file)
}
