"""Uploads stop at their limit while they come: what is larger is read on and kept nowhere."""

from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from memoryapp.services.uploads import LARGEST


class Bounded(FileUploadHandler):
    """Stands before Django's own handlers. A file that is too large is not among the request's files."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if start + len(raw_data) > LARGEST:
            raise StopUpload
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The handlers behind this one have it."""
