/**
 * The last message of the alert system, which old peers show their users permanently: "Alert key compromised, upgrade
 * required". Bitcoin Core still sends it to peers that know alerts; later ones ignore it.
 */
export const FINAL_ALERT = Uint8Array.from(
  Buffer.from(
    "60010000000000000000000000ffffff7f00000000ffffff7ffeffff7f01ffffff7f00000000ffffff7f00ffffff7f002f555247454e543a" +
      "20416c657274206b657920636f6d70726f6d697365642c2075706772616465207265717569726564004630440220653febd6410f470f6bae" +
      "11cad19c48413becb1ac2c17f908fd0fd53bdc3abd5202206d0e9c96fe88d4a0f01ed9dedae2b6f9e00da94cad0fecaae66ecf689bf71b50",
    "hex"
  )
)
