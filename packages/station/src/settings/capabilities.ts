import { type Capabilities, type Capability, capabilityNames } from '@solstice/contracts'
import type { Payments } from '../ports/payments.ts'

/** The part of the configuration that decides which features are possible. */
export interface Deployment {
  /** Local files do not survive a restart. */
  ephemeralStorage: boolean
  dataProvider: 'json' | 'sql'
  mediaStorage: 'local' | 'cloud'
  streamMode: boolean
  radioHostsMode: boolean
  webPush: boolean
}

/**
 * The features of a deployment: one whose writes would be lost, or that lacks a technical condition, is off.
 *
 * @param payments omitted where donations do not matter.
 */
export function capabilitiesOf(
  station: Deployment,
  payments: Pick<Payments, 'active'> = { active: null },
): Capabilities {
  const { ephemeralStorage, dataProvider, mediaStorage, streamMode, radioHostsMode, webPush } = station
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
    webPush: data && webPush,
  }
}

/** Features that are off only because storage does not survive a restart. */
export function lostToEphemeralStorage(
  station: Deployment,
  payments: Pick<Payments, 'active'>,
): Capability[] {
  const possible = capabilitiesOf(station, payments)
  const durable = capabilitiesOf({ ...station, ephemeralStorage: false }, payments)
  return capabilityNames.filter((name) => durable[name] && !possible[name])
}
