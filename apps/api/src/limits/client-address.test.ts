import type { IncomingMessage } from 'node:http'
import { networkOf } from '@solstice/station'
import t from 'tap'
import { createTokens } from '../auth/tokens.ts'
import { readRange } from '../files/byte-range.ts'
import { withoutSecrets } from '../http/request-log.ts'
import { clientAddress, createOrigins } from './client-address.ts'

t.test('the client address is what the outermost trusted proxy saw', async (t) => {
  const cases: [tcp: string | undefined, list: string | undefined, hops: number, address: string][] = [
    // Without a proxy nothing that is sent counts.
    ['192.0.2.1', undefined, 0, '192.0.2.1'],
    ['192.0.2.1', '203.0.113.9', 0, '192.0.2.1'],
    // One proxy: the last entry, which it wrote itself.
    ['10.0.0.1', '203.0.113.9', 1, '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.9', 1, '203.0.113.9'],
    ['10.0.0.1', '1.1.1.1,2.2.2.2,203.0.113.9', 1, '203.0.113.9'],
    // Two proxies: the one before the last.
    ['10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.2', 2, '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', 2, '203.0.113.9'],
    // A list that is too short: its leftmost entry; no list: the connection.
    ['10.0.0.1', '203.0.113.9', 2, '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', 5, '203.0.113.9'],
    ['10.0.0.1', undefined, 2, '10.0.0.1'],
    ['10.0.0.1', '', 1, '10.0.0.1'],
    // An entry that is no address: the connection, never another entry.
    ['10.0.0.1', '203.0.113.9, unknown', 1, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9,', 1, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, 999.1.1.1', 1, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, 01.2.3.4', 1, '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, <script>', 1, '10.0.0.1'],
    ['10.0.0.1', 'garbage, 203.0.113.9', 1, '203.0.113.9'],
    // Spellings: ports, brackets, IPv6, IPv4 within IPv6, zones.
    ['10.0.0.1', '203.0.113.9:4711', 1, '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::1]:443', 1, '2001:db8::1'],
    ['10.0.0.1', '[2001:db8::1]', 1, '2001:db8::1'],
    ['10.0.0.1', '2001:DB8:0:0:0:0:0:1', 1, '2001:db8::1'],
    ['10.0.0.1', '::ffff:203.0.113.9', 1, '203.0.113.9'],
    ['10.0.0.1', '::FFFF:cb00:7109', 1, '203.0.113.9'],
    ['::ffff:192.0.2.1', undefined, 0, '192.0.2.1'],
    ['::1', undefined, 0, '::1'],
    ['fe80::1%eth0', undefined, 0, 'fe80::1'],
    [undefined, undefined, 0, ''],
    [undefined, '203.0.113.9', 1, '203.0.113.9'],
  ]
  for (const [tcp, list, hops, address] of cases) {
    t.equal(clientAddress(tcp, list, hops), address, `${tcp} | ${list} | ${hops} hops`)
  }
})

t.test('an IPv6 household is one listener, an IPv4 address is one', async (t) => {
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  t.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64')
  t.equal(networkOf('1::4:5:6:7:8'), '1:0:0:4::/64')
  t.equal(networkOf('::1'), '0:0:0:0::/64')
  t.equal(networkOf('1:2:3:4::'), '1:2:3:4::/64')

  const { uidOf } = createTokens({ artTokenSecret: 's', artTokenTtlS: 60, audioTokenTtlS: 60 })
  const stranger = createTokens({ artTokenSecret: 't', artTokenTtlS: 60, audioTokenTtlS: 60 })
  t.match(uidOf('192.0.2.1'), /^[0-9a-f]{36}$/)
  t.equal(uidOf('2001:db8:1:2::1'), uidOf('2001:db8:1:2:ffff::9'))
  t.not(uidOf('2001:db8:1:2::1'), uidOf('2001:db8:1:3::1'))
  t.not(uidOf('192.0.2.1'), uidOf('192.0.2.2'))
  t.not(uidOf('192.0.2.1'), stranger.uidOf('192.0.2.1'), 'a table of addresses does not reverse it')
})

t.test('only our own pages and the listed ones may use the station', async (t) => {
  const from = (headers: Record<string, string>, encrypted = false) =>
    ({ headers, socket: { encrypted } }) as unknown as IncomingMessage
  const config = { publicServerUrl: '', clientOrigins: ['https://player.example', 'http://localhost:3000'] }

  t.test('our own origin', async (t) => {
    const own = (hops: number, headers: Record<string, string>, encrypted?: boolean) =>
      createOrigins({ ...config, trustProxyHops: hops }).ownOrigin(from(headers, encrypted))
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'radio.example' }
    t.equal(own(0, { host: 'radio.local:3001' }), 'http://radio.local:3001')
    t.equal(own(0, { host: 'Radio.Local' }, true), 'https://radio.local')
    t.equal(own(0, { host: 'radio.local', ...forwarded }), 'http://radio.local', 'no proxy is trusted')
    t.equal(own(1, { host: 'radio.local', ...forwarded }), 'https://radio.example')
    t.equal(own(1, { host: 'radio.local', 'x-forwarded-proto': 'https' }), 'https://radio.local')
    const chained = { 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'evil.example, radio.example' }
    t.equal(own(1, { host: 'x', ...chained }), 'https://radio.example', 'a value from the client is ignored')
    t.equal(
      own(1, { host: 'radio.local', 'x-forwarded-host': 'a b', 'x-forwarded-proto': 'javascript' }),
      'http://radio.local',
    )
    t.equal(own(0, { host: "x';script-src *" }), 'http://localhost', 'a host that is none')
    t.equal(own(0, {}), 'http://localhost')
    const published = createOrigins({
      ...config,
      trustProxyHops: 1,
      publicServerUrl: 'https://pub.example:8443/',
    })
    t.equal(published.ownOrigin(from({ host: 'radio.local', ...forwarded })), 'https://pub.example:8443')
  })

  t.test('allowed origins', async (t) => {
    const { isAllowedOrigin } = createOrigins({ ...config, trustProxyHops: 0 }, { machine: 'radio' })
    const request = from({ host: 'radio.local:3001' })
    const allowed = [
      'http://radio.local:3001',
      'https://player.example',
      'HTTPS://Player.Example:443',
      undefined,
    ]
    const refused = [
      'https://player.example.evil.example',
      'https://evilplayer.example',
      'http://player.example',
      'https://player.example:444',
      'http://radio.local',
      'https://radio.local:3001',
      'null',
      '',
      '*',
      'https://player.example/path',
      'https://player.example@evil.example',
      'file://',
    ]
    for (const origin of allowed) t.ok(isAllowedOrigin(origin, request), String(origin))
    for (const origin of refused) t.notOk(isAllowedOrigin(origin, request), origin)
  })

  t.test('under a name that anyone may have pointed here, no page is our own', async (t) => {
    const undeclared: string[] = []
    const onUndeclared = (origin: string) => void undeclared.push(origin)
    const ownOf = (host: string, more: { publicServerUrl?: string; machine?: string } = {}) => {
      const { machine = 'Studio.Lan', ...declared } = more
      const asked = { ...config, trustProxyHops: 0, ...declared }
      return createOrigins(asked, { machine, onUndeclared }).isAllowedOrigin(`http://${host}`, from({ host }))
    }
    for (const host of [
      'localhost:3001',
      'radio.localhost:3001',
      '127.0.0.1:3001',
      '192.168.1.5:3001',
      '203.0.113.9',
      '[::1]:3001',
      '[fd00::5]:3001',
      'studio.lan:3001',
      'STUDIO:3001',
      'studio.local:3001',
      'player.example:3001',
    ])
      t.ok(ownOf(host), host)
    t.same(undeclared, [])
    for (const host of [
      'evil.example:3001',
      'evil.studio.lan',
      'studio.example',
      'localhost.evil.example',
      'evil-localhost',
      '127.0.0.1.evil.example',
      'evil.local',
    ])
      t.notOk(ownOf(host), host)
    t.equal(undeclared[0], 'http://evil.example:3001')
    t.equal(undeclared.length, 7)
    t.ok(ownOf('radio.example', { publicServerUrl: 'http://radio.example' }), 'one that is declared')
    t.notOk(ownOf('localhost', { publicServerUrl: 'http://radio.example' }), 'is the only one then')
    t.notOk(ownOf('.local', { machine: '' }))
  })
})

t.test('pages of another site', async (t) => {
  const cases: [string, string, boolean][] = [
    ['https://radio.example', 'https://radio.example', false],
    ['https://radio.example', 'https://radio.example:8443', false],
    ['https://radio.example', 'https://player.radio.example', false],
    ['https://api.radio.example', 'https://radio.example', false],
    ['https://api.radio.example', 'https://player.radio.example', false],
    ['https://radio.example', 'https://other.example', true],
    ['https://api.radio.co.uk', 'https://player.radio.co.uk', false],
    ['https://radio.co.uk', 'https://other.co.uk', true],
    ['https://radio.com.ua', 'https://other.com.ua', true],
    ['https://radio.example', 'https://evilradio.example', true],
    ['http://localhost:3001', 'http://localhost:5173', false],
    ['http://localhost:3001', 'http://127.0.0.1:5173', true],
    ['http://10.1.0.5', 'http://10.2.0.5', true],
    ['http://10.1.0.5:80', 'http://10.1.0.5:8080', false],
    ['http://[2001:db8::1]', 'http://[2001:db8::2]', true],
    ['https://radio.example', 'no origin at all', false],
  ]
  for (const [own, listed, isOther] of cases) {
    const config = { publicServerUrl: own, clientOrigins: [listed], trustProxyHops: 0 }
    t.equal(createOrigins(config).allowsOtherSites({} as IncomingMessage), isOther, `${listed} for ${own}`)
  }
})

t.test('a Range header asks for one part, the whole file, or nothing that is there', async (t) => {
  const cases: [string | undefined, ReturnType<typeof readRange>][] = [
    [undefined, null],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=10-', { start: 10, end: 99 }],
    ['bytes=90-999', { start: 90, end: 99 }],
    ['bytes=90-99999999999999999999', { start: 90, end: 99 }],
    ['Bytes=99-99', { start: 99, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=0-1,5-6', null],
    ['bytes=9-0', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['bytes=--1', null],
    ['bytes=0x1-2', null],
    ['items=0-1', null],
    ['', null],
  ]
  for (const [header, range] of cases) t.same(readRange(header, 100), range, String(header))
  t.equal(readRange('bytes=0-', 0), 'unsatisfiable', 'an empty file has no first byte')
  t.equal(readRange('bytes=-5', 0), 'unsatisfiable')
})

t.test('tokens do not reach the log, however their names are spelt', async (t) => {
  const cases: [string, string][] = [
    ['/api/stream', '/api/stream'],
    ['/api/stream?token=abc', '/api/stream?token=[redacted]'],
    [
      '/a?track=day%2Fx&artToken=abc&audioToken=d',
      '/a?track=day%2Fx&artToken=[redacted]&audioToken=[redacted]',
    ],
    ['/a?AdminToken=abc&x=1', '/a?AdminToken=[redacted]&x=1'],
    ['/a?%74oken=abc', '/a?%74oken=[redacted]'],
    ['/a?x=1?token=abc&token=abc?y', '/a?x=1?token=abc&token=[redacted]'],
    ['/a?%zz=1&token', '/a?%zz=1&token=[redacted]'],
  ]
  for (const [url, shown] of cases) t.equal(withoutSecrets(url), shown)
})
