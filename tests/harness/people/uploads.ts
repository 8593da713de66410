import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { type Agent, request as tlsRequest } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Teardown, temporaryFolder } from '../processes/processes.ts'

/** A minute of 320 kbit/s frames without tags; repeated any number of times it remains an MP3. */
export async function minuteOfFrames(t: Teardown): Promise<Buffer> {
  const path = join(await temporaryFolder(t), 'minute.mp3')
  const source = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=60']
  const form = ['-ac', '2', '-b:a', '320k', '-write_xing', '0', '-id3v2_version', '0']
  await promisify(execFile)('ffmpeg', ['-nostdin', '-loglevel', 'error', ...source, ...form, path])
  return readFile(path)
}

/** Logs the super admin in and returns the token. */
export async function logIn(url: string, login: string, password: string): Promise<string> {
  const answer = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login, password }),
  })
  return ((await answer.json()) as { token: string }).token
}

/** Adds accounts that may upload, and logs them in. @returns their tokens. */
export async function addUploaders(url: string, token: string, count: number): Promise<string[]> {
  const post = (path: string, as: string, body: object) =>
    fetch(`${url}/api/admin/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${as}` },
      body: JSON.stringify(body),
    })
  const tokens: string[] = []
  for (let i = 0; i < count; i++) {
    const [login, password, newPassword] = [`uploader ${i}`, 'Temporary1', 'Own password 1']
    await post('admins', token, { login, password, privileges: ['upload_songs'] })
    const own = await logIn(url, login, password)
    await post('admins/self/activate', own, { tempPassword: password, newPassword })
    tokens.push(own)
  }
  return tokens
}

/** Uploads the given number of bytes, made by repeating `piece`, as fast as they are accepted. */
export async function uploadTrack(
  url: string,
  token: string,
  name: string,
  piece: Buffer,
  bytes: number,
  agent: Agent | false = false,
): Promise<{ status: number; body: string }> {
  const request = url.startsWith('https:') ? tlsRequest : plainRequest
  const sending = request(`${url}/api/admin/upload-song-file`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'audio/mpeg',
      'content-length': bytes,
      'x-file-name': name,
    },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  let isAnswered = false
  sending.once('response', () => {
    isAnswered = true
  })
  for (let left = bytes; left > 0; left -= piece.length) {
    const isRoom = sending.write(left < piece.length ? piece.subarray(0, left) : piece)
    if (!isRoom && !isAnswered) await Promise.race([once(sending, 'drain'), answered])
  }
  sending.end()
  const [answer] = await answered
  return { status: answer.statusCode ?? 0, body: await text(answer) }
}

/** Sends the first half of a track; `end` sends the other half and resolves with the reply, `abort` breaks the connection. */
export async function beginUpload(url: string, token: string, bytes: Buffer) {
  const sending = plainRequest(`${url}/api/admin/upload-song-file`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'audio/mpeg',
      'content-length': bytes.length,
      'x-file-name': 'Slow.mp3',
      expect: '100-continue',
    },
  })
  sending.flushHeaders()
  await once(sending, 'continue')
  sending.write(bytes.subarray(0, bytes.length / 2))
  return {
    async end(): Promise<IncomingMessage> {
      const answered = once(sending, 'response')
      sending.end(bytes.subarray(bytes.length / 2))
      const [answer] = (await answered) as [IncomingMessage]
      answer.resume()
      return answer
    },
    abort() {
      sending.on('error', () => {}).destroy()
    },
  }
}
