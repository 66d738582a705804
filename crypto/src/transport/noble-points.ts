import { secp256k1 } from "@noble/curves/secp256k1.js"
import type { CurvePoints } from "./ellswift.ts"
import { curveSquare, squareRoot } from "./field.ts"
import { bytesOf, numberOf } from "./number-bytes.ts"

const { Point } = secp256k1

/** Group arithmetic in JavaScript. */
export const noblePoints: CurvePoints = {
  publicKey: (privateKey) => Point.BASE.multiply(numberOf(privateKey)).toBytes(false).subarray(1),
  productX: (privateKey, x) => {
    const point = Point.fromAffine({ x: numberOf(x), y: squareRoot(curveSquare(numberOf(x))) })
    return bytesOf(point.multiply(numberOf(privateKey)).x)
  }
}
