import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createPasswords } from '../../packages/adapters/src/auth/passwords.ts'
import { Refusal, say } from './terminal.ts'

/** The same limit as at the login. */
const MAX_CHARACTERS = 200

/** Prints the argon2id hash of a password typed in or read from the standard input. */
export async function hashPassword(signal: AbortSignal): Promise<void> {
  const password = process.stdin.isTTY
    ? await askTwice(signal)
    : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password === '') throw new Refusal('no password was entered')
  if (/[\r\n]/.test(password)) throw new Refusal('a password must be a single line')
  if ([...password].length > MAX_CHARACTERS)
    throw new Refusal(`a password may have at most ${MAX_CHARACTERS} characters`)
  say(await createPasswords().hash(password))
}

async function askTwice(signal: AbortSignal): Promise<string> {
  const password = await ask('Password: ', signal)
  if ((await ask('Once more: ', signal)) !== password) throw new Refusal('the passwords differ')
  return password
}

/** Echoes nothing of the input. */
function ask(question: string, signal: AbortSignal): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  return new Promise<string>((resolve, reject) => {
    const interrupt = () => reject(new Refusal('interrupted'))
    lines.once('SIGINT', interrupt)
    signal.addEventListener('abort', interrupt)
    lines.once('line', resolve)
    lines.once('close', () => reject(new Refusal('no password was entered')))
  }).finally(() => {
    lines.close()
    process.stderr.write('\n')
  })
}
