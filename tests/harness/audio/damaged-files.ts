import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { randomFrom } from '../air/programme.ts'

const run = promisify(execFile)
/** Files with bytes changed at random, beside those made by hand. */
const RANDOM = 14

/** What may be called an MP3: whole and damaged ones, and what is none. @param folder for files on their way. */
export async function damagedFiles(folder: string): Promise<Record<string, Uint8Array>> {
  const convert = async (name: string, ...options: string[]) => {
    const path = join(folder, name)
    const source = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2']
    await run('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...source, ...options, path])
    return readFile(path)
  }
  const mp3 = await convert('two.mp3', '-ac', '2', '-b:a', '128k')
  const lying = Buffer.from(mp3)
  const xing = lying.indexOf('Info') >= 0 ? lying.indexOf('Info') : lying.indexOf('Xing')
  lying.writeUInt32BE(10_000_000, xing + 8)
  const id3 = (size: number) =>
    Buffer.from([
      0x49,
      0x44,
      0x33,
      4,
      0,
      0,
      (size >> 21) & 127,
      (size >> 14) & 127,
      (size >> 7) & 127,
      size & 127,
    ])
  const flipped = Buffer.from(mp3)
  for (let at = 3_000; at < flipped.length; at += 997) flipped[at] = flipped[at]! ^ 0xff
  const noise = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7_919 + (i >> 3) * 104_729) & 0xff))
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), noise, Buffer.from([0xff, 0xd9])])
  const corpus: Record<string, Uint8Array> = {
    nothing: Buffer.alloc(0),
    'one byte': Buffer.from([0xff]),
    'two bytes of a frame': Buffer.from([0xff, 0xfb]),
    zeros: Buffer.alloc(100_000),
    ones: Buffer.alloc(100_000, 0xff),
    'headers without frames': Buffer.alloc(100_000, Buffer.from([0xff, 0xfb, 0x90, 0x44])),
    noise,
    'a picture': jpeg,
    'a picture after a tag': Buffer.concat([id3(0), jpeg]),
    'a page': Buffer.from('<!doctype html><script>alert(1)</script>'.repeat(500)),
    'a script': Buffer.from('#!/bin/sh\nrm -rf /\n'.repeat(1_000)),
    'a tag alone': Buffer.concat([id3(1_000), Buffer.alloc(1_000)]),
    'a tag that is longer than its file': Buffer.concat([id3(200_000_000), mp3]),
    'a tag of nine MB': Buffer.concat([id3(9_000_000), Buffer.alloc(9_000_000), mp3]),
    'many tags': Buffer.concat([...Array(200).fill(id3(0)), mp3]),
    wav: await convert('two.wav'),
    flac: await convert('two.flac'),
    'another container': await convert('two.m4a'),
    'another codec': await convert('two.mp2', '-c:a', 'mp2'),
    whole: mp3,
    'cut short': mp3.subarray(0, mp3.length / 2),
    'cut within the first frame': mp3.subarray(0, 300),
    'without its beginning': mp3.subarray(777),
    'with junk before': Buffer.concat([Buffer.alloc(3_000, 0xaa), mp3]),
    'with junk after': Buffer.concat([mp3, noise.subarray(0, 9_000)]),
    'flipped bytes': flipped,
    'saying that it lasts for days': lying,
    'two rates in one': Buffer.concat([mp3, await convert('low.mp3', '-ar', '22050', '-b:a', '64k')]),
    'very slow': await convert('slow.mp3', '-ar', '8000', '-ac', '1', '-b:a', '8k'),
  }
  const random = randomFrom(1)
  for (let i = 0; i < RANDOM; i++) {
    const changed = Buffer.from(mp3)
    for (let n = 0; n < 4 ** (1 + (i % 5)); n++) changed[random(changed.length)] = random(256)
    corpus[`changed at random ${i}`] = changed
  }
  return corpus
}
