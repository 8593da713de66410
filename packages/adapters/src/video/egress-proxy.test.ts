import t from 'tap'
import { arePublic } from './egress-proxy.ts'

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
