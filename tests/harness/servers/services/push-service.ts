import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SongNotification } from '@solstice/contracts'
import type { Teardown } from '../../processes/processes.ts'
import { serve } from '../serve.ts'

/** A browser that is subscribed at the service. */
export interface PushedDevice {
  /** The subscription, as it tells the station. */
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  /** The messages that arrived, as the device decrypts them. */
  messages(): SongNotification[]
}

/** A push service as RFC 8030 describes it: takes messages for its devices, or refuses them with `status`. */
export async function openPushService(t: Teardown) {
  const taken: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const service = {
    status: 201,
    taken,
    url: '',
    subscribe(name: string): PushedDevice {
      const pair = createECDH('prime256v1')
      const p256dh = pair.generateKeys('base64url')
      const auth = randomBytes(16)
      const own = () => taken.filter(({ path }) => path === `/push/${name}`)
      return {
        subscription: {
          endpoint: `${service.url}/push/${name}`,
          keys: { p256dh, auth: auth.toString('base64url') },
        },
        messages: () =>
          own().map(({ body }) => JSON.parse(decrypted(body, { pair, auth })) as SongNotification),
      }
    },
  }
  service.url = await serve(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    if (service.status === 201) taken.push({ path: request.url!, headers: request.headers, body })
    response.writeHead(service.status, { location: `${service.url}/message/${taken.length}` }).end()
  })
  return service
}

/** RFC 8291 with the single record of RFC 8188 that such a message has. */
function decrypted(
  body: Buffer,
  { pair, auth }: { pair: ReturnType<typeof createECDH>; auth: Buffer },
): string {
  const salt = body.subarray(0, 16)
  const senderKey = body.subarray(21, 21 + body[20]!)
  const sealed = body.subarray(21 + senderKey.length)
  const derive = (key: Buffer, from: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', key, from, info, length))
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), senderKey])
  const secret = derive(pair.computeSecret(senderKey), auth, keyInfo, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createDecipheriv('aes-128-gcm', key, nonce)
  cipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8')
}
