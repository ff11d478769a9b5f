async def save_by_query(*a): raise NotImplementedError
