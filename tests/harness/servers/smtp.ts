import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Teardown } from '../processes/processes.ts'

export interface TakenMail {
  /** `user:password` that it was sent with. */
  login: string
  from: string
  to: string[]
  headers: string
  /** Decoded. */
  text: string
}

export interface SmtpServer {
  /** With user and password. */
  url: string
  taken: TakenMail[]
  /** Refuses what it is sent, for now. */
  refuses: boolean
}

/** A mail server that keeps what it is given (RFC 5321, AUTH PLAIN). */
export async function startSmtp(t: Teardown): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    converse(socket, smtp)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const smtp = {
    url: `smtp://operator:pass%20word@127.0.0.1:${port}`,
    taken: [] as TakenMail[],
    refuses: false,
  }
  return smtp
}

function converse(socket: Socket, smtp: SmtpServer): void {
  const envelope = { login: '', from: '', to: [] as string[] }
  let body: string[] | null = null
  const say = (line: string) => socket.write(`${line}\r\n`)
  const endBody = (lines: string[]) => {
    if (!smtp.refuses) smtp.taken.push({ ...structuredClone(envelope), ...read(lines) })
    say(smtp.refuses ? '451 later' : '250 taken')
  }
  const take = (line: string) => {
    const [verb = '', ...rest] = line.split(' ')
    const address = /<(.*)>/.exec(line)?.[1] ?? ''
    switch (verb.toUpperCase()) {
      case 'EHLO':
        return say('250-here\r\n250 AUTH PLAIN')
      case 'AUTH': {
        const [, user, password] = Buffer.from(rest[1] ?? '', 'base64')
          .toString()
          .split('\0')
        envelope.login = `${user}:${password}`
        return say('235 welcome')
      }
      case 'MAIL':
        envelope.from = address
        return say('250 ok')
      case 'RCPT':
        envelope.to.push(address)
        return say('250 ok')
      case 'DATA':
        body = []
        return say('354 go on')
      case 'QUIT':
        return socket.end('221 bye\r\n')
      default:
        return say('250 ok')
    }
  }
  let unread = ''
  socket.on('error', () => {})
  socket.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (unread + piece).split('\r\n')
    unread = lines.pop()!
    for (const line of lines) {
      if (body === null) take(line)
      else if (line !== '.') body.push(line.replace(/^\.\./, '.'))
      else {
        endBody(body)
        body = null
      }
    }
  })
  say('220 here')
}

function read(lines: string[]): Pick<TakenMail, 'headers' | 'text'> {
  const gap = lines.indexOf('')
  const headers = lines.slice(0, gap).join('\n')
  const encoded = lines.slice(gap + 1).join('\n')
  if (/transfer-encoding: base64/i.test(headers))
    return { headers, text: Buffer.from(encoded, 'base64').toString() }
  const bytes = encoded
    .replace(/=\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { headers, text: Buffer.from(bytes, 'latin1').toString() }
}
