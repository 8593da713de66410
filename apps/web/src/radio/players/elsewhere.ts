/** True while the sound of an element goes to another device (Remote Playback), or is about to. */
export const isElsewhere = ({ remote }: { remote?: Pick<RemotePlayback, 'state'> }): boolean =>
  remote !== undefined && remote.state !== 'disconnected'
