import type { Field, FieldReader, ValueOf } from "./fields.ts"
import { JOB_DECLARATION_MESSAGES } from "./job-declaration-messages.ts"
import { MINING_MESSAGES } from "./mining-messages.ts"
import { TEMPLATE_MESSAGES } from "./template-messages.ts"

type Fields = Readonly<Record<string, Field<never>>>

/** Every message: its type, whether it belongs to a channel, and its fields. */
export const MESSAGES = { ...MINING_MESSAGES, ...JOB_DECLARATION_MESSAGES, ...TEMPLATE_MESSAGES } as const

export type MessageName = keyof typeof MESSAGES

type FieldsOf<N extends MessageName> = {
  readonly [K in keyof (typeof MESSAGES)[N]["fields"]]: ValueOf<(typeof MESSAGES)[N]["fields"][K]>
}

/** A message of one kind. */
export type MessageOf<N extends MessageName> = { readonly _tag: N } & FieldsOf<N>
export type Message = { readonly [N in MessageName]: MessageOf<N> }[MessageName]

/** A decrypted message: its type, whether it belongs to a channel, and its payload. */
export interface PlainFrame {
  readonly type: number
  readonly isOfChannel: boolean
  readonly payload: Buffer
}

export const encodeMessage = (message: Message): PlainFrame => {
  const { fields, isOfChannel, type } = MESSAGES[message._tag]
  const values = message as unknown as Readonly<Record<string, never>>
  const payload = Buffer.concat(
    Object.entries(fields as unknown as Fields).map(([name, field]) => field.write(values[name]!))
  )
  return { type, isOfChannel, payload }
}

const BY_TYPE: ReadonlyMap<number, MessageName> = new Map(
  Object.entries(MESSAGES).map(([name, { type }]) => [type, name as MessageName])
)

/**
 * Decodes the message in a frame. Returns `undefined` if the message is unknown or its fields are invalid. Ignores
 * trailing bytes.
 */
export const decodeMessage = ({ payload, type }: Pick<PlainFrame, "type" | "payload">): Message | undefined => {
  const name = BY_TYPE.get(type)
  if (name === undefined) return undefined
  const from: FieldReader = { bytes: payload, offset: 0, isFaulty: false }
  const fields = MESSAGES[name].fields as Readonly<Record<string, Field<unknown>>>
  const values = Object.fromEntries(Object.entries(fields).map(([each, field]) => [each, field.read(from)]))
  return from.isFaulty ? undefined : { _tag: name, ...values } as Message
}
