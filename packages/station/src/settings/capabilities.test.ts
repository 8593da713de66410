import { type Capability, capabilityNames } from '@solstice/contracts'
import t from 'tap'
import type { PaymentProvider } from '../ports/payments.ts'
import { capabilitiesOf, lostToEphemeralStorage } from './capabilities.ts'

const station = {
  ephemeralStorage: false,
  dataProvider: 'json',
  mediaStorage: 'local',
  streamMode: true,
  radioHostsMode: true,
  webPush: true,
} as const

const off = (changes: Partial<Parameters<typeof capabilitiesOf>[0]>) => {
  const capabilities = capabilitiesOf({ ...station, ...changes })
  return capabilityNames.filter((name) => !capabilities[name])
}

t.test(
  'there are exactly the capabilities of the contract, and with everything set up all but donations',
  async (t) => {
    t.same(Object.keys(capabilitiesOf(station)), capabilityNames)
    t.same(off({}), ['donations'])
  },
)

t.test('donations need somebody to be paid through, and data that lasts', async (t) => {
  const active = {} as PaymentProvider
  t.equal(capabilitiesOf(station, { active }).donations, true)
  t.equal(capabilitiesOf(station, { active: null }).donations, false)
  t.equal(capabilitiesOf({ ...station, ephemeralStorage: true }, { active }).donations, false)
})

t.test('notifications need the wish of the operator, and data that lasts', async (t) => {
  t.same(off({ webPush: false }), ['donations', 'webPush'])
  t.equal(capabilitiesOf({ ...station, ephemeralStorage: true }).webPush, false)
})

t.test('jingles and phrases need the stream, background music needs live hosts as well', async (t) => {
  t.same(off({ radioHostsMode: false }), ['backgroundMusic', 'donations'])
  t.same(off({ streamMode: false, radioHostsMode: false }), [
    'jingles',
    'backgroundMusic',
    'phrases',
    'donations',
  ])
})

t.test('where storage does not last, what would be lost is off', async (t) => {
  const media: Capability[] = [
    'uploadTracks',
    'editTrackMetadata',
    'moveTrackMode',
    'deleteTracks',
    'artistArts',
  ]
  const clips: Capability[] = ['jingles', 'backgroundMusic', 'phrases', 'donations']
  t.same(off({ ephemeralStorage: true }), capabilityNames)
  t.same(off({ ephemeralStorage: true, dataProvider: 'sql' }), [...media, ...clips])
  t.same(off({ ephemeralStorage: true, mediaStorage: 'cloud' }), capabilityNames)
  t.same(off({ ephemeralStorage: true, dataProvider: 'sql', mediaStorage: 'cloud' }), ['donations'])
})

t.test('the operator is told what is off for that reason, and not what is off for another', async (t) => {
  t.same(lostToEphemeralStorage(station, { active: null }), [])
  const inSyncMode = { ...station, streamMode: false, radioHostsMode: false, ephemeralStorage: true }
  t.same(
    lostToEphemeralStorage(inSyncMode, { active: null }),
    capabilityNames.filter((name) => !['jingles', 'backgroundMusic', 'phrases', 'donations'].includes(name)),
  )
})
