import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import t from 'tap'
import { arePublic, publicAddresses, withEgressProxy } from './egress-proxy.ts'

const ipv4 = (address: string) => ({ address, family: 4 })
const ipv6 = (address: string) => ({ address, family: 6 })

t.test('a host is public when all its addresses are', async (t) => {
  const open = [ipv4('8.8.8.8'), ipv6('2606:4700::1111')]
  t.ok(arePublic(open))
  t.notOk(arePublic([]), 'a host without addresses is not')
  const inside = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ]
  for (const address of inside) t.notOk(arePublic([...open, ipv4(address)]), address)
  for (const address of ['::1', 'fe80::1', 'fd00::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'])
    t.notOk(arePublic([ipv6(address), ...open]), address)
})

t.test('a program reaches only public hosts, at the address that was checked', async (t) => {
  const echo = createServer((socket) => socket.pipe(socket))
  echo.listen(0, '127.0.0.1')
  t.teardown(() => echo.close())
  await once(echo, 'listening')
  const { port } = echo.address() as AddressInfo
  const asked: string[] = []
  const addressesOf = async (host: string) => {
    asked.push(host)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const reach = async (proxy: string) => {
    const socket = connect(Number(new URL(proxy).port), '127.0.0.1')
    socket.setEncoding('utf8')
    socket.write(`CONNECT video.example:${port} HTTP/1.1\r\n\r\n`)
    t.match(String(await once(socket, 'data')), 'HTTP/1.1 200')
    socket.write('there and back')
    t.equal(String(await once(socket, 'data')), 'there and back')
    return { closed: once(socket, 'close') }
  }
  const { closed } = await withEgressProxy(reach, { addressesOf, port })
  // The route ends together with its purpose.
  await closed
  t.same(asked, ['video.example'])
})

t.test('a name that first leads to a public host and then inside is refused the second time', async (t) => {
  const host = createServer((socket) => socket.end('from outside'))
  host.listen(0, '127.0.0.1')
  t.teardown(() => host.close())
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo
  const answers = [[ipv4('8.8.8.8')], [ipv4('127.0.0.1')], [ipv4('8.8.8.8'), ipv6('::ffff:127.0.0.1')]]
  let asked = 0
  const lookup = async () => answers[asked++]!
  const checked: string[] = []
  const addressesOf = async (name: string) => {
    checked.push(...(await publicAddresses(name, lookup)).map(({ address }) => address))
    // Stands for the public host.
    return [ipv4('127.0.0.1')]
  }
  await withEgressProxy(
    async (proxy) => {
      const reach = async () => {
        const socket = connect(Number(new URL(proxy).port), '127.0.0.1')
        socket.write(`CONNECT rebinding.example:${port} HTTP/1.1\r\n\r\n`)
        let answer = ''
        for await (const bytes of socket) answer += bytes
        return answer
      }
      t.match(await reach(), /^HTTP\/1.1 200.*from outside$/s)
      t.equal(asked, 1, 'the connection goes where the check looked: the name is asked for once')
      t.match(await reach(), /^HTTP\/1.1 403/)
      t.match(await reach(), /^HTTP\/1.1 403/, 'also where only one of its addresses is inside')
    },
    { addressesOf, port },
  )
  t.same(checked, ['8.8.8.8'])
})

t.test('a program redirected to this machine or its network is blocked', async (t) => {
  await withEgressProxy(async (proxy) => {
    const { port } = new URL(proxy)
    const answer = async (head: string) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`${head}\r\nHost: x\r\n\r\n`)
      const [bytes] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return bytes.toString().slice(0, 12)
    }
    for (const place of [
      '127.0.0.1:443',
      'localhost:443',
      '[::1]:443',
      '[::ffff:127.0.0.1]:443',
      '[::ffff:a9fe:a9fe]:443',
      '169.254.169.254:443',
      '10.1.2.3:443',
      '192.168.0.1:443',
      '[fd00::1]:443',
      '[fe80::1]:443',
      '[64:ff9b::7f00:1]:443',
      '[2002:7f00:1::]:443',
      '93.184.216.34:80',
      '2130706433:443',
    ])
      t.equal(await answer(`CONNECT ${place} HTTP/1.1`), 'HTTP/1.1 403', place)
    t.equal(await answer('GET http://127.0.0.1/ HTTP/1.1'), 'HTTP/1.1 403')
  })
})
