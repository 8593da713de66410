import { chmod, mkdir } from 'node:fs/promises'

/**
 * Makes a folder that only its owner may enter, also one that was made more open before.
 *
 * @throws what the file system says, when the folder can be neither made nor entered.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700).catch((error: NodeJS.ErrnoException) => {
    // A mounted folder may belong to somebody else, who then says who may enter.
    if (error.code !== 'EPERM') throw error
  })
}
