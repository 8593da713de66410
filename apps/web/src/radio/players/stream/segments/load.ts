import { playsNatively, type SegmentSource } from './source.ts'

/** The source that fits the browser. @param onFailed called when it can't go on, unless the element reports that itself. */
export async function loadSource(audio: HTMLAudioElement, onFailed: () => void): Promise<SegmentSource> {
  if (playsNatively(audio)) return (await import('./native-source.ts')).createNativeSource(audio)
  return (await import('./hls-source.ts')).createHlsSource(audio, onFailed)
}
