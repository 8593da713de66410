import { type Capabilities, type Capability, capabilityNames } from '@solstice/contracts'
import type { Payments } from '../ports/payments.ts'

/** What the configuration says about a station, as far as it decides what is possible. */
export interface Deployment {
  /** Local files are gone after a restart. */
  ephemeralStorage: boolean
  dataProvider: 'json' | 'sql'
  mediaStorage: 'local' | 'cloud'
  streamMode: boolean
  radioHostsMode: boolean
}

/**
 * What is possible here: a feature whose writes would be lost, or that lacks something technical, is off.
 *
 * @param payments through whom songs are paid for; left out where nobody asks about donations.
 */
export function capabilitiesOf(
  station: Deployment,
  payments: Pick<Payments, 'active'> = { active: null },
): Capabilities {
  const { ephemeralStorage, dataProvider, mediaStorage, streamMode, radioHostsMode } = station
  const data = !ephemeralStorage || dataProvider === 'sql'
  const both = data && (!ephemeralStorage || mediaStorage === 'cloud')
  return {
    uploadTracks: both,
    editTrackMetadata: both,
    moveTrackMode: both,
    deleteTracks: both,
    artistArts: both,
    helperAdmins: data,
    adminAccount: data,
    ipModeration: data,
    editSettings: data,
    auditLog: data,
    history: data,
    jingles: both && streamMode,
    backgroundMusic: both && streamMode && radioHostsMode,
    phrases: both && streamMode,
    donations: data && payments.active !== null,
  }
}

/** What is off for no other reason than that storage does not outlive a restart. */
export function lostToEphemeralStorage(
  station: Deployment,
  payments: Pick<Payments, 'active'>,
): Capability[] {
  const possible = capabilitiesOf(station, payments)
  const durable = capabilitiesOf({ ...station, ephemeralStorage: false }, payments)
  return capabilityNames.filter((name) => durable[name] && !possible[name])
}
