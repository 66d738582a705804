import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A certificate with its key, as texts and as files. */
export interface TestCertificate {
  readonly key: string
  readonly cert: string
  readonly keyFile: string
  readonly certFile: string
}

/** An authority that certifies servers of tests. */
export interface TestAuthority {
  readonly cert: string
  /** A certificate for a name, such as `IP:127.0.0.1` or `DNS:hooks.example`. */
  readonly certify: (name: string) => TestCertificate
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

const openssl = (...args: ReadonlyArray<string>): void => void execFileSync("openssl", args, { stdio: "ignore" })

/** Makes an authority in a directory. */
export const testAuthority = (within: string): TestAuthority => {
  const directory = mkdtempSync(join(within, "ca-"))
  const at = (name: string): string => join(directory, name)
  const [caKey, caCert] = [at("ca.key"), at("ca.pem")]
  const asAuthority = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=keyCertSign"]
  openssl(
    "req",
    "-x509",
    ...NEW_KEY,
    "-days",
    "2",
    "-subj",
    "/CN=authority",
    "-keyout",
    caKey,
    "-out",
    caCert,
    ...asAuthority
  )
  let certified = 0
  return {
    cert: readFileSync(caCert, "utf8"),
    certify: (name) => {
      const number = ++certified
      const [keyFile, certFile, request, names] = ["key", "pem", "csr", "ext"].map((ending) =>
        at(`${number}.${ending}`)
      ) as [
        string,
        string,
        string,
        string
      ]
      writeFileSync(names, `subjectAltName=${name}\n`)
      openssl("req", ...NEW_KEY, "-subj", "/CN=server", "-keyout", keyFile, "-out", request)
      const signed = ["-CA", caCert, "-CAkey", caKey, "-set_serial", String(number), "-days", "2", "-extfile", names]
      openssl("x509", "-req", "-in", request, "-out", certFile, ...signed)
      return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8"), keyFile, certFile }
    }
  }
}
