// The process of tag-parser.ts. Plain JavaScript, which starts without the loader that TypeScript needs.
import { parseFromTokenizer } from 'music-metadata'
import { fromFile } from 'strtok3'

/** Of one piece that a file claims to hold; a tag with its picture is below it. */
const MAX_PIECE_BYTES = 8 * 1024 * 1024

process.on('message', async ({ path, mimeType }) => {
  process.send?.(await parse(path, mimeType).catch(() => null))
})
process.send?.('ready')

async function parse(path, mimeType) {
  const tokenizer = await fromFile(path, { fileInfo: { mimeType }, maxBufferSize: MAX_PIECE_BYTES })
  try {
    const { common } = await parseFromTokenizer(tokenizer, { duration: false, skipCovers: true })
    const artist = common.artist ?? common.albumartist ?? common.originalartist
    const { title = null, album = null, year } = common
    return { title, artist: artist ?? null, album, year: year > 0 && year < 10_000 ? year : null }
  } finally {
    await tokenizer.close()
  }
}
