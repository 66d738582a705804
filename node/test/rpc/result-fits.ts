import type * as SchemaAST from "effect/SchemaAST"
import type { JsonRead } from "../../src/json/json-value.ts"
import { answerMisfit } from "../../src/methods/definition/answer-misfit.ts"

/**
 * Whether an answer is what the schema of the method's result says: every member of it is documented, none is missing.
 */
export const fits = (ast: SchemaAST.AST, value: JsonRead): boolean => answerMisfit(ast, value) === undefined
