/**
 * The environment of every program that we start: PATH only. These programs decode files from strangers, and our own
 * environment holds the secrets of the station.
 */
export function bareEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '' }
}

/** ffmpeg's names of the containers that a library may hold. No playlists: they would make ffmpeg open other files. */
export const FORMATS = 'mp3,aac,flac,ogg,wav,mov,matroska'
