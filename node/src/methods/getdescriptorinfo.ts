import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { descriptorInfo } from "@lockstep/descriptors/descriptor/descriptor-info.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { optionalDescribed, described } from "../answers/result-schema.ts"
import { callError } from "../queries/call-error.ts"

const DescriptorInfo = Schema.Struct({
  descriptor: described(
    Schema.String,
    "The descriptor without private keys; the first one where paths have alternatives"
  ),
  multipath_expansion: optionalDescribed(Schema.Array(Schema.String), "A descriptor for each of the alternatives"),
  checksum: described(Schema.String, "The checksum of the descriptor as it was given"),
  isrange: described(Schema.Boolean, "Whether it stands for many scripts"),
  issolvable: described(Schema.Boolean, "Whether it says what it takes to spend"),
  hasprivatekeys: described(Schema.Boolean, "Whether there are private keys in it")
})

export const getdescriptorinfo = method({
  name: "getdescriptorinfo",
  category: "util",
  privilege: "anyone",
  description: "Answers what a descriptor is, and its checksum.",
  parameters: { descriptor: text({ description: "The descriptor" }) },
  result: DescriptorInfo,
  examples: [{ params: ["pk(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)"] }],
  call: ({ descriptor }, { network }) =>
    Effect.fromResult(Result.mapBoth(descriptorInfo(descriptor, network), {
      onFailure: (problem) => callError("InvalidAddressOrKey", problem),
      onSuccess: ({ json }) => json
    }))
})
