/** After a call systems start an element only if it has a source: this long one is kept, and fetched, for that. */
export const RESTS_FOR_MS = 5 * 60_000
const SETTLING_MS = 300

/**
 * Tells when the system or the browser pauses an element that is to play a broadcast, for instance for a call or when headphones are
 * unplugged, and when it lets it go on. Returns the function that ends it.
 *
 * Imports nothing: the player for other sites should stay small.
 */
export function watchSystemPauses(
  audio: HTMLAudioElement,
  told: { isOn: () => boolean; isResting: () => boolean; onPause: () => void; onResume: () => void },
): () => void {
  const isPaused = () => told.isOn() && !audio.ended && audio.paused
  const paused = () => {
    // A broken connection looks the same at first: the element pauses, and only then ends.
    if (isPaused()) setTimeout(() => isPaused() && told.onPause(), SETTLING_MS)
  }
  const started = () => {
    if (told.isResting() && !audio.paused) told.onResume()
  }
  audio.addEventListener('pause', paused)
  audio.addEventListener('play', started)
  return () => {
    audio.removeEventListener('pause', paused)
    audio.removeEventListener('play', started)
  }
}
