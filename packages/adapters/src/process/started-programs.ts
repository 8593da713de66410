/**
 * The environment of every program that is started: where programs are, and nothing else of ours. What they decode comes from
 * strangers, and this process's own environment holds the secrets of the station.
 */
export function bareEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '' }
}

/** Containers that a library may hold, for ffmpeg. Playlists are not among them: they would make it open other files. */
export const FORMATS = 'mp3,aac,flac,ogg,wav,mov,matroska'
