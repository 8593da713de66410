import { createECDH } from 'node:crypto'
import type { Reader } from './reader.ts'

/** Contact for push services where the operator names none; only browsers on the station's own machine get here. */
const NO_CONTACT = 'mailto:operator@station.invalid'

/** Reads the settings of messages to browsers. Keys that do not belong together are a problem. */
export function readWebPush(reader: Reader, publicServerUrl: string) {
  const { read } = reader
  return {
    /** Listeners may be told when their track is next. */
    webPush: read('WEB_PUSH'),
    /** null = made once and kept with the records. */
    vapidKeys: readKeys(reader),
    vapidSubject: read('VAPID_SUBJECT') || contactOf(publicServerUrl),
    /** Hosts that messages may be sent to, including subdomains. */
    pushServiceHosts: read('PUSH_SERVICE_HOSTS'),
  }
}

const contactOf = (publicUrl: string) => (publicUrl.startsWith('https://') ? publicUrl : NO_CONTACT)

function readKeys({ read, problems }: Reader) {
  const publicKey = read('VAPID_PUBLIC_KEY')
  const privateKey = read('VAPID_PRIVATE_KEY')
  if (!publicKey && !privateKey) return null
  if (publicKey && privateKey && isPair(publicKey, privateKey)) return { publicKey, privateKey }
  problems.push(
    'VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY must both be set and belong together, or neither (npx web-push generate-vapid-keys makes a pair)',
  )
  return null
}

function isPair(publicKey: string, privateKey: string): boolean {
  try {
    const pair = createECDH('prime256v1')
    pair.setPrivateKey(privateKey, 'base64url')
    return Buffer.from(privateKey, 'base64url').length === 32 && pair.getPublicKey('base64url') === publicKey
  } catch {
    return false
  }
}
