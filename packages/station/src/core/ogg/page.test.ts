import t from 'tap'
import { readOpusTags } from './opus.ts'
import { isIntact, oggPages, readOggPage, writeOggPage } from './page.ts'

const page = { mark: null, granule: 960, serial: 7, sequence: 2, packets: [] as Buffer[] } as const

t.test('a page is what ffmpeg writes, to the checksum', (t) => {
  const head = Buffer.from(
    `4f6767530002${'00'.repeat(16)}1cd5c5f701134f707573486561640102380180bb0000000000`,
    'hex',
  )
  const read = oggPages(head)[0]!
  t.match(read, { mark: 'begin', granule: 0, serial: 0, sequence: 0, end: head.length })
  t.ok(isIntact(head, read))
  t.same(writeOggPage(read), head)
  t.end()
})

t.test('packets of every length come back whole', (t) => {
  const packets = [0, 1, 254, 255, 256, 510, 1275].map((length, i) => Buffer.alloc(length, i + 1))
  const bytes = writeOggPage({ ...page, packets })
  const read = oggPages(bytes)[0]!
  t.same(read.packets, packets)
  t.match(read, { mark: null, granule: 960, serial: 7, sequence: 2, at: 0, end: bytes.length })
  for (let length = 0; length < bytes.length; length++)
    if (readOggPage(bytes.subarray(0, length), 0) !== 'more') t.fail(`${length} bytes are not a page`)
  t.end()
})

t.test('numbers beyond 32 bits are kept where Ogg has room for them', (t) => {
  const granule = 2 ** 41 + 3
  const serial = 2 ** 32 - 1
  t.match(oggPages(writeOggPage({ ...page, granule, serial }))[0], { granule, serial })
  t.end()
})

t.test('damage, foreign bytes and torn packets are noticed', (t) => {
  const bytes = writeOggPage({ ...page, packets: [Buffer.alloc(100, 1)] })
  bytes[60]! ^= 1
  t.notOk(isIntact(bytes, oggPages(bytes)[0]!))
  t.equal(readOggPage(Buffer.from('no page of Ogg'), 0), null)
  const full = writeOggPage({ ...page, packets: [Buffer.alloc(255)] })
  full[26] = 1
  t.equal(readOggPage(full.subarray(0, -1), 0), null, 'a packet that goes on in the next page')
  t.throws(() => writeOggPage({ ...page, packets: [Buffer.alloc(255 * 255)] }), RangeError)
  t.end()
})

t.test('another packet has no tags', (t) => {
  t.equal(readOpusTags(Buffer.from('OpusHead')), null)
  t.end()
})
