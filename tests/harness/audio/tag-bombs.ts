import { apeTag, id3v2 } from './tags.ts'

const times = (n: number, text: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => text(i)).join('\0')

/** Tags that cost a general parser minutes or all memory; placed before (ID3) or after (APE) the sound. */
export const tagBombs: Record<string, { before?: Buffer; behind?: Buffer }> = {
  // Few enough to be left to the general parser.
  '10 000 values of TXXX:ARTISTS': {
    before: id3v2(4, [['TXXX', `\x03ARTISTS\0${times(10_000, (i) => `n${i}`)}`]]),
  },
  '20 000 values of TXXX:ARTISTS': {
    before: id3v2(4, [['TXXX', `\x03ARTISTS\0${times(20_000, (i) => `n${i}`)}`]]),
  },
  '40 000 values of TXXX:ARTISTS': {
    before: id3v2(4, [['TXXX', `\x03ARTISTS\0${times(40_000, (i) => `n${i}`)}`]]),
  },
  '40 000 genres': { before: id3v2(4, [['TCON', `\x03${times(40_000, (i) => `${i}`)}`]]) },
  'genres of 7.5 MB': { before: id3v2(4, [['TCON', `\x03${'(1)'.repeat(2_500_000)}`]]) },
  'people of 547 KB': { before: id3v2(4, [['TIPL', `\x03${times(80_000, (i) => `p${i}`)}`]]) },
  'artists of 7 MB': { before: id3v2(4, [['TPE1', `\x03${'a\0'.repeat(3_500_000)}`]]) },
  'a title of 7 MB': { before: id3v2(3, [['TIT2', `\x01\xff\xfe${'a\0'.repeat(3_500_000)}`]]) },
  'a title of marks that combine': {
    before: id3v2(4, [['TIT2', Buffer.from(`\x03a${'\u0323\u0301'.repeat(1_000_000)}`)]]),
  },
  'padding of 8 MB': { before: id3v2(3, [], { padding: 8_000_000 }) },
  '700 000 frames': { before: id3v2(3, [['TXXX', '\0']], { copies: 700_000 }) },
  '8 MB unsynchronised': { before: id3v2(3, [['PRIV', '\xff\0'.repeat(4_000_000)]], { flags: 0x80 }) },
  '400 000 items of APE': { behind: apeTag([['Key', '']], 400_000) },
  'a million empty tags': { before: Buffer.from('ID3\x03\0\0\0\0\0\0'.repeat(1_000_000), 'latin1') },
}
